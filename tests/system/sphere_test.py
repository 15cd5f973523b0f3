"""vnngp fit --lonlat: inputs on the sphere."""
import math
import random

from support import SystemTest, column, main


def stations(count=120, seed=1):
    """Degrees around the date line, as multiples of 1/64 that are exact after adding 360."""
    random.seed(seed)
    rows = []
    for _ in range(count):
        lon, lat = 180 + random.randint(-640, 640) / 64, 60 + random.randint(-640, 640) / 64
        rows.append((lon, lat, random.random(), math.sin(lon / 5) + lat / 20))
    return rows


def table(rows, wrap=False):
    return ["lat,lon,day,y"] + [f"{lat},{lon - 360 if wrap and lon > 180 else lon},{day},{y}" for lon, lat, day, y in rows]


class Sphere(SystemTest):
    def setUp(self):
        super().setUp()
        self.write("east.csv", table(stations()))
        self.write("both.csv", table(stations(), wrap=True))

    def test_the_date_line_does_not_show(self):
        predictions = []
        for data, new in (("east.csv", "both.csv"), ("both.csv", "east.csv")):
            self.fit(data, "m.vnngp", options=["--lonlat", "lon,lat"])
            text = self.succeeds("predict", "m.vnngp", new, "--samples", 2).stdout
            predictions.append([column(text, name) for name in ("mean", "sd", "sample2")])
        self.assertEqual(*predictions)

    def test_reports_one_lengthscale_in_km(self):
        report = self.fit("both.csv", "m.vnngp", options=["--lonlat", "lon,lat"])
        self.assertEqual(report["inputs"], ["lon,lat", "day"])
        self.assertEqual(len(report["hyperparameters"]["lengthscales"]), 2)
        ratio = report["hyperparameters"]["lengthscales"][0] / report["hyperparameters"]["standardized"]["lengthscales"][0]
        # Uniform within 10 degrees at 60 north: standard deviations 640 km north and 320 km east.
        self.assertAlmostEqual(ratio, math.sqrt((640**2 + 320**2) / 2), delta=60)
        self.assertRegex(self.succeeds("inspect", "m.vnngp").stdout, r"length-scale lon,lat +[\d.e+]+ km\n")
        self.assertEqual(self.json_of("inspect", "m.vnngp")["inputs"], ["lon,lat", "day"])
        self.assertIn("nll", self.json_of("evaluate", "m.vnngp", "east.csv"))

    def test_lonlat_are_inputs_without_being_named(self):
        report = self.fit("both.csv", "m.vnngp", options=["--lonlat", "lon,lat", "--inputs", "day"])
        self.assertEqual(report["inputs"], ["day", "lon,lat"])

    def test_mistakes_in_the_option(self):
        for lonlat, says in (("lon", "two columns"), ("lon,lon", "two columns"), ("lon,lat,day", "two columns"), ("lon,latt", "'lat'"),
                             ("lon,y", "target")):
            self.fails("fit", "both.csv", "--target", "y", "--lonlat", lonlat, says=says)
        self.fails("fit", "both.csv", "--target", "y", "--lonlat", "lon,lat", "--drop", "lat", says="--drop")

    def test_degrees_out_of_range_are_named_by_line(self):
        lines = table(stations())
        self.fit("both.csv", "m.vnngp", options=["--lonlat", "lon,lat"])
        for bad, says in (("91,10,0,0", "column 'lat': 91 is not a latitude"), ("10,400,0,0", "column 'lon': 400 is not a longitude")):
            self.write("bad.csv", lines[:5] + [bad] + lines[5:])
            self.fails("fit", "bad.csv", "--target", "y", "--lonlat", "lon,lat", says=["bad.csv, line 6", says])
            self.fails("predict", "m.vnngp", "bad.csv", "-o", "out.csv", says=["bad.csv, line 6", says])
        self.fails("fit", "bad.csv", "--target", "y", "--lonlat", "lat,lon", says="latitude")


if __name__ == "__main__":
    main()
